/**
 * Tools that call operations of an HTTP API: `@toolgen/runtime/openapi`. Code that toolgen generates for `fromOpenApi`
 * imports this entry. The entry requires no other package, only the global function `fetch`.
 *
 * @module
 */
export type {
  ApiCredential,
  ApiOperation,
  BasicCredential,
  OpenApiExecutorOptions,
  PerCall,
  ToolsetApi,
} from './executors/openapi-api.js'
export { OpenApiCallError } from './executors/openapi-api.js'
export type { OpenApiBinding } from './executors/openapi-binding.js'
export { bindOpenApiToolset } from './executors/openapi-binding.js'
export type {
  ApiClientOptions,
  ApiErrors,
  ApiRequestOptions,
  ApiResponse,
  ApiResult,
} from './executors/openapi-client.js'
export { ApiError, apiClient, unwrap } from './executors/openapi-client.js'
export { openApiExecutor } from './executors/openapi-executor.js'
