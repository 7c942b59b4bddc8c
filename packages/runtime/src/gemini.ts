/**
 * Model driver for the Gemini API and Vertex AI: `@toolgen/runtime/gemini`. Requires the optional peer dependency
 * `@google/genai`.
 *
 * @module
 */

export { type GeminiDriverOptions, geminiDriver } from './adapters/gemini-driver.js'
export type { ModelDelta } from './types/planner.js'
