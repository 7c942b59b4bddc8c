import type { ToolDescriptor } from '../contract/descriptor.js'
import type { ToolSpec } from '../contract/spec.js'

/** The descriptors of a toolset's tools, by the names of the tools. */
export type ToolDescriptors = Readonly<Record<string, ToolDescriptor>>

/** Freezes the descriptors of a toolset's tools, and the object that holds them. Its type is what it is assigned to. */
export function toolDescriptors<Tools extends ToolDescriptors>(tools: NoInfer<Tools>): Tools {
  for (const tool of Object.values<ToolDescriptor>(tools)) Object.freeze(tool)
  Object.freeze(tools)
  return tools
}

/** The descriptors as a list, in their order. */
export function toolsOf(tools: ToolDescriptors): readonly ToolDescriptor[] {
  return Object.values(tools)
}

/** The specs of the tools as a list, in their order. */
export function specsOf(tools: ToolDescriptors): readonly ToolSpec[] {
  return Object.values(tools).map(({ spec }) => spec)
}
