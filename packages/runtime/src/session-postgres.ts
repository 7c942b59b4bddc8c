/**
 * Sessions and claims of suspensions in PostgreSQL, on a server or embedded: `@toolgen/runtime/session/postgres`. Imports no
 * driver: it takes the `query` of the one that the application has.
 *
 * @module
 */

export { DirectoryInUseError, isDirectoryInUseError } from './session-postgres/lock/directory-in-use-error.js'
export type { DirectoryLock } from './session-postgres/lock/directory-lock.js'
export { lockDirectory } from './session-postgres/lock/directory-lock.js'
export type { MigrateOptions } from './session-postgres/migrate.js'
export { migrate } from './session-postgres/migrate.js'
export type { PostgresClaims, PostgresClaimsOptions } from './session-postgres/postgres-claims.js'
export { postgresClaims } from './session-postgres/postgres-claims.js'
export type { PostgresStoreOptions } from './session-postgres/postgres-store.js'
export { postgresStore } from './session-postgres/postgres-store.js'
export type { Query } from './session-postgres/query.js'
