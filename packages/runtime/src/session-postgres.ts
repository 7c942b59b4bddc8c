/**
 * Sessions and claims of suspensions in PostgreSQL, on a server or embedded: `@toolgen/runtime/session/postgres`. Imports no
 * driver: it takes the `query` of the one that the application has.
 *
 * @module
 */

export type { DirectoryLock } from './sessions/directory-lock.js'
export { DirectoryInUseError, isDirectoryInUseError, lockDirectory } from './sessions/directory-lock.js'
export type { PostgresClaims, PostgresClaimsOptions } from './sessions/postgres-claims.js'
export { postgresClaims } from './sessions/postgres-claims.js'
export type { MigrateOptions, Query } from './sessions/postgres-statements.js'
export { migrate } from './sessions/postgres-statements.js'
export type { PostgresStoreOptions } from './sessions/postgres-store.js'
export { postgresStore } from './sessions/postgres-store.js'
