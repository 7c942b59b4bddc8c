/**
 * Session store and claims of suspensions in PostgreSQL, on a server or embedded: `@toolgen/runtime/sessions/postgres`.
 * It imports no driver and uses the application's `query` function.
 *
 * @module
 */

export type { DirectoryLock } from './sessions/directory-lock.js'
export { lockDirectory } from './sessions/directory-lock.js'
export type { PostgresClaims } from './sessions/postgres-claims.js'
export { postgresClaims } from './sessions/postgres-claims.js'
export type { Query } from './sessions/postgres-migrations.js'
export { migrate } from './sessions/postgres-migrations.js'
export type { PostgresStoreOptions } from './sessions/postgres-store.js'
export { postgresStore } from './sessions/postgres-store.js'
export { DirectoryInUseError } from './sessions/stores.js'
