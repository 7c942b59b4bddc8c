import type { MetaPath, ToolsetIr } from '../ir/types.js'
import { docComment } from '../text/doc-comment.js'
import { keyText, lineWidth, propertyNameText, stringText } from '../text/literal.js'
import { header } from './header.js'
import { generatedSpecifier, type ImportingFile, importSet, runtimeModule } from './import-set.js'
import { block } from './schema-text.js'
import { decodedType, needsType } from './tool-types.js'
import { typeMember } from './type-member.js'

/** What `toolset-index.hbs` shows. */
export interface ToolsetIndexView {
  readonly header: string
  readonly imports: string
  readonly extension: string
  /** The specifier of the codecs, whose extension can be another. */
  readonly codecs: string
  readonly comment: string
  readonly descriptor: string
  readonly tools: readonly {
    /** As a member of the object's type. */
    readonly member: string
    /** As an entry of the object literal. */
    readonly value: string
  }[]
  /** The function that freezes the descriptors. */
  readonly freeze: string
  readonly specs: { readonly constant: string; readonly type: string; readonly of: string }
  readonly toolset: {
    readonly comment: string
    readonly type: string
    readonly constant: string
    readonly name: string
    readonly namespace: string
    readonly description: string
    readonly toolsOf: string
  }
}

/**
 * The entry of a toolset's folder: everything of its other files, and its descriptors.
 *
 * @param nested the meta fields that agents need which serve the toolset
 */
export function toolsetIndexView(
  toolset: ToolsetIr,
  nested: readonly MetaPath[],
  file: ImportingFile,
): ToolsetIndexView {
  const imports = importSet(file)
  const { names } = toolset
  const type = imports.type(runtimeModule, 'ToolsetDescriptor')
  const tools = toolset.tools.map((tool) => {
    const descriptor = imports.type(runtimeModule, 'ToolDescriptor')
    const of = (kind: string): string => `toolsets/${names.folder}/${kind}`
    const types = imports.types({ generated: of('types') }, 'types')
    const specs = imports.values({ generated: of('specs') }, 'specs')
    const codecs = imports.values({ generated: of('codecs') }, 'codecs')
    const calls = imports.values({ generated: of('calls') }, 'calls')
    const { names: own } = tool
    const parameters = [
      `${types}.${own.arguments}`,
      decodedType(tool, types, imports),
      `${types}.${own.result}`,
      needsType(tool, nested),
    ]
    return {
      member: typeMember({ name: propertyNameText(tool.name), type: descriptor, parameters, indent: 2 }),
      value: descriptorText(keyText(tool.name), [
        `spec: ${specs}.${own.spec}`,
        `payload: ${codecs}.${own.payloadCodec}`,
        `result: ${codecs}.${own.resultCodec}`,
        `call: ${calls}.${own.call}`,
      ]),
    }
  })
  const freeze = imports.value(runtimeModule, 'toolDescriptors')
  const toolsOf = imports.value(runtimeModule, 'toolsOf')
  const specs = {
    constant: names.specs,
    type: imports.type(runtimeModule, 'ToolSpec'),
    of: imports.value(runtimeModule, 'specsOf'),
  }
  return {
    header: header(toolset.place),
    imports: imports.text(),
    extension: file.extension,
    codecs: generatedSpecifier(`toolsets/${names.folder}/codecs`, file),
    comment: docComment(toolset.description, 0),
    descriptor: names.descriptor,
    tools,
    freeze,
    specs,
    toolset: {
      comment: docComment(`The toolset \`${toolset.name}\` as the runtime knows it.`, 0),
      type,
      constant: names.toolset,
      name: stringText(toolset.name),
      namespace: stringText(toolset.namespace),
      description: stringText(toolset.description),
      toolsOf,
    },
  }
}

/** A descriptor as an entry: on two lines where they fit, else each part on its own. */
function descriptorText(key: string, parts: readonly [string, string, string, string]): string {
  const [spec, payload, result, call] = parts
  const lines = [`${key}: { ${spec}, ${payload},`, `  ${result}, ${call} }`]
  // Lines are indented by two columns, and a comma follows the last one.
  if (lines.every((line) => line.length + 3 <= lineWidth)) return lines.join('\n  ')
  return `${key}: ${block(parts, 2)}`
}
