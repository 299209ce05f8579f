/* Saves the picture of a page that has one, as PNG or SVG. */
function save(format) {
  const plot = document.querySelector('.plotly-graph-div');
  Plotly.downloadImage(plot, {format: format, filename: 'picture', scale: format === 'png' ? 3 : 1});
}
