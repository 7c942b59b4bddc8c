import type { ToolIr, ToolsetIr } from '../../ir/types.js'
import { typedValue } from '../../schema/values/typed-value.js'
import { stringText } from '../../text/literal.js'
import { argumentOutline } from './argument-outline.js'
import type { Scene } from './scene.js'
import { valueText } from './value-text.js'

/** The call that an application makes of each example of the design; without examples, what a call has to give at least. */
export function callSnippet(tool: ToolIr, toolset: ToolsetIr, { moduleOf }: Scene): string {
  const { names, examples } = tool
  const shown = examples.length > 0 ? examples : [argumentOutline(tool.arguments, toolset.defs)]
  const calls = shown.map((example) => {
    const value = typedValue(example, tool.arguments, toolset.defs)
    return `${names.call}(${valueText(value, { indent: 0, used: names.call.length + 2 })})`
  })
  return [`import { ${names.call} } from ${stringText(moduleOf(toolset))}`, '', ...calls].join('\n')
}
