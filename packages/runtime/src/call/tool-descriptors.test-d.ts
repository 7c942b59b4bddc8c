import type { ToolDescriptor } from '../types/tool.js'
import { toolDescriptors } from './descriptors.js'

// What `toolDescriptors` is given is checked part by part against the type that its result is assigned to.

type Count = ToolDescriptor<{ readonly text: string }, unknown, number, never>

declare const count: Count
const { spec, payload, call } = count

export const right: { readonly count: Count } = toolDescriptors({
  count: { spec, payload, result: count.result, call },
})

export const otherResult: { readonly name: ToolDescriptor<{ readonly text: string }, unknown, string, never> } =
  toolDescriptors({
    name: {
      spec,
      payload,
      // @ts-expect-error: the codec is of a number
      result: count.result,
      // @ts-expect-error: the call answers a number
      call,
    },
  })

// @ts-expect-error: a descriptor is missing
export const missing: { readonly count: Count; readonly name: Count } = toolDescriptors({ count })
