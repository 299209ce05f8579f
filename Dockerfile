# Built in two stages: the first compiles, the second holds what runs. docs/hosting.md tells how to use it.
FROM python:3.12-slim AS build
WORKDIR /src
RUN python -m venv /opt/nnm
COPY pyproject.toml README.md LICENSE ./
COPY .streamlit .streamlit
COPY data data
COPY nnm_core nnm_core
COPY dashboard dashboard
RUN /opt/nnm/bin/pip install --no-cache-dir ".[hosted]"
# The inner loops are compiled here and copied to where the server can write when it starts.
ENV NUMBA_CACHE_DIR=/opt/nnm/kernels
RUN /opt/nnm/bin/nnm fit demo && /opt/nnm/bin/nnm fit demo --mode stars && /opt/nnm/bin/nnm fit demo --preset accurate

FROM python:3.12-slim
RUN useradd --system --uid 10001 --no-create-home --home-dir /nonexistent nnm \
    && install --directory --owner=nnm --mode=700 /var/lib/nnm
COPY --from=build /opt/nnm /opt/nnm
ENV NUMBA_CACHE_DIR=/opt/nnm/kernels \
    PYTHONDONTWRITEBYTECODE=1 \
    NNM_ADDRESS=0.0.0.0 \
    NNM_PORT=8501 \
    NNM_STORE=/var/lib/nnm \
    NNM_LOG_FORMAT=json \
    NNM_METRICS_ADDRESS=0.0.0.0 \
    NNM_METRICS_PORT=9464
USER 10001
WORKDIR /var/lib/nnm
VOLUME /var/lib/nnm
EXPOSE 8501 9464
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["/opt/nnm/bin/python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=4)"]
ENTRYPOINT ["/opt/nnm/bin/nnm"]
CMD ["serve"]
