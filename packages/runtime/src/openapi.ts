/**
 * Tools that are operations of an HTTP API: `@toolgen/runtime/openapi`. What `toolgen import openapi` and `fromOpenApi`
 * lead to imports it; needs no package, only `fetch`.
 *
 * @module
 */
export type { OpenApiBinding } from './openapi/bind-openapi-toolset.js'
export { bindOpenApiToolset } from './openapi/bind-openapi-toolset.js'
export { isOpenApiCallError, OpenApiCallError, type OpenApiCallErrorFacts } from './openapi/openapi-call-error.js'
export { openApiExecutor } from './openapi/openapi-executor.js'
export type {
  ApiCall,
  ApiCredential,
  BasicCredential,
  OpenApiExecutorOptions,
  PerCall,
} from './openapi/openapi-executor-options.js'
export type {
  ApiAnswerKind,
  ApiBody,
  ApiOperation,
  ApiParameter,
  ApiPart,
  ApiSecurity,
  ParameterStyle,
  ToolsetApi,
} from './openapi/toolset-api.js'
