/**
 * Sessions, claims of suspensions, rate limits and circuit breakers in PostgreSQL, on a server or embedded:
 * `@toolgen/runtime/postgres`. This entry imports no driver; it uses the application's `query` function.
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
