/**
 * PostgreSQL stores for sessions, resumed suspensions, rate limits and circuit breakers: `@toolgen/runtime/postgres`.
 * This entry imports no database driver: the application passes a `query` function. Embedded databases such as PGlite
 * also work.
 *
 * @module
 */

export type { DirectoryLock } from './sessions/directory-lock.js'
export { lockDirectory } from './sessions/directory-lock.js'
export type { PostgresClaims } from './sessions/postgres-claims.js'
export { postgresClaims } from './sessions/postgres-claims.js'
export type { PostgresLimits } from './sessions/postgres-limits.js'
export { postgresLimits } from './sessions/postgres-limits.js'
export type { Query } from './sessions/postgres-migrations.js'
export { migrate } from './sessions/postgres-migrations.js'
export type { PostgresStoreOptions, StoreOwnerOptions, StoreSubscriptionOptions } from './sessions/postgres-store.js'
export { postgresStore } from './sessions/postgres-store.js'
export type { Listen } from './sessions/postgres-subscriptions.js'
export { listenWith } from './sessions/postgres-subscriptions.js'
export { DirectoryInUseError } from './sessions/stores.js'
