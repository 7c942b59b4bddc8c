import { readFileSync } from 'node:fs'
import Handlebars from 'handlebars'

/** One template per emitted file kind, by the name of its file in `templates/`. */
export const fileKinds = [
  'toolset-types',
  'toolset-codecs',
  'toolset-codec-types',
  'toolset-specs',
  'toolset-calls',
  'toolset-index',
  'toolset-mcp',
  'toolset-openapi',
  'agent-specs',
  'agent-service',
  'agent-mcp',
  'agent-openapi',
  'agent-export',
  'agent-index',
] as const

/** A kind of emitted file. */
export type FileKind = (typeof fileKinds)[number]

/** Prints a view as the text of a file of one kind. */
export type PrintFile = (kind: FileKind, view: object) => string

let loaded: PrintFile | undefined

/**
 * Loads the templates that lie beside this package's code, once in a process. Templates only lay text out: nothing is
 * escaped, a name that the view lacks is an error, and no helper exists beside the built-in ones.
 */
export function loadTemplates(): PrintFile {
  loaded ??= compiledTemplates()
  return loaded
}

function compiledTemplates(): PrintFile {
  const folder = new URL('../../templates/', import.meta.url)
  const engine = Handlebars.create()
  const templates = new Map(
    fileKinds.map((kind) => {
      const source = readFileSync(new URL(`${kind}.hbs`, folder), 'utf8').replaceAll('\r\n', '\n')
      return [kind, engine.compile(source, { noEscape: true, strict: true, knownHelpersOnly: true })] as const
    }),
  )
  return (kind, view) => {
    const template = templates.get(kind)
    if (template === undefined) throw new Error(`There is no template '${kind}'.`)
    return template(view)
  }
}
