/**
 * Models with the chat completions API of OpenAI: `@toolgen/runtime/openai`.
 *
 * @module
 */

export { base, type OpenAiModelOptions, openAiDriver, standard } from './adapters/openai-driver.js'
export type { OpenAiDriverOptions } from './adapters/openai-request.js'
