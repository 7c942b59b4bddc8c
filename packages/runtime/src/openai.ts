/**
 * Models behind OpenAI's chat completions: `@toolgen/runtime/openai`.
 *
 * @module
 */
export type { ModelRetry } from './openai/model-retry.js'
export { base, type OpenAiModelOptions, standard } from './openai/openai-agents.js'
export { openAiDriver } from './openai/openai-driver.js'
export type { CompletionDelta, CompletionFields, OpenAiDriverOptions } from './openai/openai-options.js'
