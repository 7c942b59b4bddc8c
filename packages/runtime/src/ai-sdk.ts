/**
 * Tools and models of the Vercel AI SDK: `@toolgen/runtime/ai-sdk`. Needs the optional peer `ai`, version 6 or 7.
 *
 * @module
 */
export {
  type AiSdkCall,
  type AiSdkOutput,
  type AiSdkTools,
  aiSdkExecutor,
  aiSdkTools,
  keepMalformed,
  loadTools,
} from './adapters/ai-sdk.js'
export { type AiSdkDriverOptions, type AiSdkModel, aiSdkDriver } from './adapters/ai-sdk-driver.js'
export type { CallContext } from './adapters/framework-options.js'
export type { ModelDelta } from './adapters/model-turns.js'
export type { ToolOutput } from './adapters/tool-output.js'
export type { LoadToolsOptions } from './tool-search/loaded-tools.js'
