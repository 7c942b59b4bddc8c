/**
 * Models behind OpenAI's chat completions: `@toolgen/runtime/openai`.
 *
 * @module
 */

export type { OpenAiDriverOptions } from './adapters/openai-driver.js'
export { base, type OpenAiModelOptions, openAiDriver, standard } from './adapters/openai-driver.js'
