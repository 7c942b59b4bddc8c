import type { ToolCallRepairFunction, ToolSet } from 'ai'
import { malformedArguments } from '../framework/malformed-arguments.js'

/**
 * Hands arguments that are no JSON to the tools themselves, which answer with what is wrong, through their layers and with
 * an outcome as for any other call. Without it the SDK answers by itself. Give it as `experimental_repairToolCall`.
 *
 * @param tools what `aiSdkTools` made; calls of other tools are left to the SDK
 *
 * @example
 * const tools = aiSdkTools(support)
 * await generateText({ model, tools, prompt, experimental_repairToolCall: keepMalformed(tools) })
 */
export function keepMalformed(tools: ToolSet): ToolCallRepairFunction<ToolSet> {
  return async ({ toolCall }) => {
    if (!Object.hasOwn(tools, toolCall.toolName)) return null
    return { ...toolCall, input: JSON.stringify(malformedArguments(toolCall.input)) }
  }
}
