import { isMade } from './check/checks.js'
import { fault, quoted } from './check/fault.js'
import { checkedFields } from './check/fields.js'
import type { Toolset } from './toolset.js'
import type { UseOptions } from './types/use.js'
import { frozenUseParts, usePartChecks } from './use-parts.js'
import type { OpenApiUseValue, ToolsetValue, ToolValue } from './values.js'

/**
 * Gives a toolset to an agent, served by an HTTP API: one that `toolgen import openapi` wrote, or one whose `openapi` was
 * declared by hand. `only` selects tools and `rename` changes the names that this agent's model sees. Throws a TypeError
 * when an argument is evidently wrong.
 *
 * @example
 * fromOpenApi(pets, { only: ['getPetById'], rename: { getPetById: 'look_at_pet' } })
 */
export function fromOpenApi<
  Used extends Readonly<Record<string, ToolValue>>,
  const Selected extends keyof Used & string = keyof Used & string,
  const Renamed extends string = never,
>(toolset: Toolset<Used>, options?: UseOptions<Selected, Renamed>): OpenApiUseValue
export function fromOpenApi(toolset: ToolsetValue, options: UseOptions<string, string> = {}): OpenApiUseValue {
  isMade('toolset', 'Pass what defineToolset(...) returned')(toolset, 'fromOpenApi: first argument')
  const where = `fromOpenApi(${quoted(toolset.name)})`
  if (toolset.openapi === undefined) {
    throw fault(
      where,
      'the toolset has no `openapi`',
      'Import it with `toolgen import openapi`, or declare its operations',
    )
  }
  const parts = checkedFields(options, { required: {}, optional: usePartChecks }, where)
  return Object.freeze<OpenApiUseValue>({
    '~toolgen': 'use',
    provider: 'openapi',
    toolset,
    ...frozenUseParts(parts, where),
  })
}
