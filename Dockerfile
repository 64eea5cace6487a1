# Built in two stages: the first has compilers and development packages, the second only what runs.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
# dist/compiled is joined in dist/.program.
RUN npm run build && npm prune --omit=dev && rm -r dist/compiled

FROM node:24-slim
# The first process of a container collects the processes whose parents are gone; Node does not.
RUN apt-get update && apt-get install -y --no-install-recommends tini && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/package.json /app/openapi.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8081
# Of an API: it answers. Of workers (ROLE=worker): one of them has given a sign of life.
HEALTHCHECK --interval=15s --timeout=8s --start-period=60s --retries=3 CMD ["node", "dist/src/commands/health.js"]
STOPSIGNAL SIGTERM
# HOST=0.0.0.0 is refused without API_KEYS (or AUTH=none): docker run -e API_KEYS=… -p 8081:8081 --shm-size 256m -v orbweaver:/data …
# (the whole line, with reasons: docs/operations.md, "In a container")
ENTRYPOINT ["tini", "--"]
# The process of the API makes little garbage; the default would hold 60 MB more for it.
CMD ["node", "--max-semi-space-size=4", "dist/src/main.js"]
