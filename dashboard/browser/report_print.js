/* Fits the pictures of a report to the paper while it is printed. Browsers do not draw a picture anew for paper, so that
   one from a wide window would be cut off. */
function fitted(width) {
  document.querySelectorAll('.plotly-graph-div').forEach(function (plot) {
    if (width) { Plotly.relayout(plot, {autosize: false, width: Math.min(width, plot.clientWidth)}); }
    else { Plotly.relayout(plot, {autosize: true, width: null}); }
  });
}
window.addEventListener('beforeprint', function () { fitted(640); });
window.addEventListener('afterprint', function () { fitted(0); });
