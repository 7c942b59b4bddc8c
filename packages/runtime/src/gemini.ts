/**
 * Model driver for the Gemini API and Vertex AI: `@toolgen/runtime/gemini`. Needs the optional peer `@google/genai`.
 *
 * @module
 */

export { type GeminiDriverOptions, geminiDriver } from './adapters/gemini-driver.js'
export type { ModelDelta } from './types/planner.js'
