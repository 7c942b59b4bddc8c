export type { ApiCredential, BasicCredential, OpenApiExecutorOptions, PerCall } from './executors/openapi-api.js'
export { OpenApiCallError } from './executors/openapi-api.js'
/**
 * Tools that are operations of an HTTP API: `@toolgen/runtime/openapi`. What `toolgen import openapi` and `fromOpenApi`
 * lead to imports it; needs no package, only `fetch`.
 *
 * @module
 */
export type { OpenApiBinding } from './executors/openapi-executor.js'
export { bindOpenApiToolset, openApiExecutor } from './executors/openapi-executor.js'
export type { ApiOperation, ToolsetApi } from './executors/toolset-api.js'
