/**
 * Model drivers for two APIs of OpenAI, chat completions and Responses: `@toolgen/runtime/openai`. Requires the
 * optional peer dependency `openai`.
 *
 * @module
 */

export { base, type OpenAiModelOptions, openAiDriver, standard } from './adapters/openai-driver.js'
export type { OpenAiDriverOptions } from './adapters/openai-request.js'
export { type OpenAiResponsesDriverOptions, openAiResponsesDriver } from './adapters/openai-responses-driver.js'
export type { ModelDelta } from './types/planner.js'
