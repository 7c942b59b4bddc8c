/**
 * Model driver for Anthropic's Messages API: `@toolgen/runtime/anthropic`. Requires the optional peer dependency
 * `@anthropic-ai/sdk`.
 *
 * @module
 */

export { type AnthropicDriverOptions, anthropicDriver } from './adapters/anthropic-driver.js'
export type { ModelDelta } from './types/planner.js'
