import type { ToolLayer } from '../contract/layer.js'
import { retry } from './retry.js'
import { stack } from './stack.js'
import { timeout } from './timeout.js'

/**
 * The defaults that suit most tools: each attempt may take 30 seconds, and there is one retry where the hint allows it.
 *
 * @example
 * support.layer(recommended())
 */
export function recommended(): ToolLayer {
  return stack(timeout(30_000), retry({ attempts: 2 }))
}
