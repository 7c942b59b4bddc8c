/**
 * Model driver for OpenAI's chat completions API: `@toolgen/runtime/openai`. Needs the optional peer `openai`.
 *
 * @module
 */

export { base, type OpenAiModelOptions, openAiDriver, standard } from './adapters/openai-driver.js'
export type { OpenAiDriverOptions } from './adapters/openai-request.js'
