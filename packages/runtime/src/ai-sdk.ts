/**
 * Tools, models and message streams of the Vercel AI SDK: `@toolgen/runtime/ai-sdk`. Requires the optional peer
 * dependency `ai`, version 6 or 7.
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
export type { ToolOutput } from './adapters/tool-output.js'
export { approvalAnswers, convertToChatMessages, type ReceivedUIMessage } from './adapters/ui-messages.js'
export {
  type RunUIData,
  toUIMessageStream,
  toUIMessageStreamResponse,
  type UIMessageStreamOptions,
  type UIToolsOf,
} from './adapters/ui-stream.js'
export type { LoadToolsOptions } from './tool-search/loaded-tools.js'
export type { ModelDelta } from './types/planner.js'
