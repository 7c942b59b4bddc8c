import type { ToolIr, ToolsetIr } from '../ir/types.js'
import type { EmittedFile } from '../output/files.js'
import { docComment, flatLiteral, stringText } from '../text.js'
import { failureNames, failuresOf, toolsetModule } from './design-queries.js'
import type { GeneratedFile } from './generated-file.js'
import { block, constantHead, entries } from './layout.js'

export function failuresEntry(
  { statusFailures: names, names: own }: ToolIr,
  declared: readonly string[],
  codecs: string,
  file: GeneratedFile,
): readonly string[] {
  const ofStatus =
    names === undefined || own.errors === undefined
      ? []
      : [`${file.value('statusFailures')}(${flatLiteral({ ...names })}, ${codecs}.${own.errors.schemas})`]
  if (declared.length === 0) return ofStatus.map((call) => `failures: ${call}`)
  return [`failures: [${[...declared, ...ofStatus.map((call) => `...${call}`)].join(', ')}]`]
}

export function toolsetFailures(toolset: ToolsetIr, file: GeneratedFile): EmittedFile {
  const failures = failuresOf(toolset).map(({ name, hint, action, schema, description, status }) => {
    const { create, data, codec } = failureNames(toolset, name)
    const value = schema === undefined ? 'undefined' : `${file.types('types', toolsetModule(toolset, 'types'))}.${data}`
    const type = `${file.type('FailureFactory')}<${stringText(name)}, ${value}>`
    const call = `/* @__PURE__ */ ${file.value('failureFactory')}(`
    const head = constantHead(`${create}: ${type}`, `${call}{`)
    const fields = entries({ name, hint, action, description, status }, head.indent + 2)
    const codecs = schema === undefined ? '' : `, ${file.values('codecs', toolsetModule(toolset, 'codecs'))}.${codec}`
    return {
      comment: docComment(description ?? `Creates the failure \`${name}\`: ${hint}`),
      text: `${head.text}${call}${block(fields, head.indent)}${codecs})`,
    }
  })
  return file.print('toolset-failures', toolset.location, { failures })
}
