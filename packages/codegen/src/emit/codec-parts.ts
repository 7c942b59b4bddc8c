import type { CodecSource } from '../codec/compile-codecs.js'
import type { Schema, ToolIr, ToolsetIr } from '../ir/types.js'
import { type ImportSet, runtimeModule } from './import-set.js'
import { decodedType } from './tool-types.js'

/** One codec of a tool. */
export interface CodecPart extends CodecSource {
  readonly name: string
  readonly kind: 'payload' | 'result'
  readonly tool: ToolIr
}

/** The codecs of a toolset in the order of the design: of each tool the payload's, the result's and the updates'. */
export function codecParts({ tools }: ToolsetIr): readonly CodecPart[] {
  return tools.flatMap((tool): readonly CodecPart[] => {
    const { names, updates } = tool
    const ofResult = (name: string, stem: string, schema: Schema): CodecPart => ({
      name,
      stem,
      schema,
      drops: true,
      kind: 'result',
      tool,
    })
    const payload: CodecPart = {
      name: names.payloadCodec,
      stem: names.arguments,
      schema: tool.arguments,
      kind: 'payload',
      tool,
    }
    const result = ofResult(names.resultCodec, names.result, tool.result)
    return updates === undefined
      ? [payload, result]
      : [payload, result, ofResult(names.updateCodec, names.update, updates)]
  })
}

/** The type of a codec: the generic type, and what it is given. */
export interface CodecType {
  readonly codec: string
  readonly parameters: readonly string[]
}

/** The type of a codec, as the file writes it that has these imports. */
export function codecType({ kind, stem, tool }: CodecPart, toolset: ToolsetIr, imports: ImportSet): CodecType {
  const types = imports.types({ generated: `toolsets/${toolset.names.folder}/types` }, 'types')
  const codec = imports.type(runtimeModule, 'Codec')
  const sent = `${types}.${stem}`
  return { codec, parameters: kind === 'payload' ? [sent, decodedType(tool, types, imports)] : [sent] }
}
