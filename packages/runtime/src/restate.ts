/**
 * Durable runs on a Restate server: `@toolgen/runtime/restate`. Requires the package `@restatedev/restate-sdk`.
 *
 * @module
 */

export { type RestateAgents, type RestateAgentsOptions, restateAgents } from './restate/restate-agents.js'
export { type RestateClientOptions, restateClient } from './restate/restate-client.js'
export type { RestateServerOptions } from './restate/restate-server.js'
export type { LargeValues, ValueStore } from './restate/stored-values.js'
