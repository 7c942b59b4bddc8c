import { agentUse, type ImportKind } from '../import/import-names.js'
import type { ListChange } from '../import/tool-list-changes.js'
import type { ToolsetImport } from '../import/toolset-import.js'
import { printable } from '../text/printable.js'
import { count } from './count.js'
import { shownPath } from './shown-path.js'
import type { Style } from './terminal.js'

/** What an import did. */
export interface ImportOutcome {
  readonly kind: ImportKind
  readonly toolset: string
  /** The folder of the files: absolute. */
  readonly root: string
  readonly imported: ToolsetImport
  /** The files that were not there or differed, by their paths below the folder. */
  readonly written: readonly string[]
  /** Whether no earlier import of this toolset stands there. */
  readonly isFirst: boolean
}

const changeWords: Readonly<Record<ListChange['kind'], string>> = { added: 'new', removed: 'gone', changed: 'changed' }

/** Which files there are, how the tools differ from those of the import before, and what comes next. */
export function importSummary(
  { kind, toolset, root, imported, written, isFirst }: ImportOutcome,
  style: Style,
): string {
  const { files, tools, described, changes } = imported
  const outcome = written.length === 0 ? 'up to date' : 'imported'
  const paths = files.map(({ path }) => shownPath(root, path)).join(', ')
  const results = described === tools ? '' : `; ${described} of them with a schema for the result`
  const generate = `run ${style('bold', '`toolgen generate`')}`
  const use = `give it to an agent with ${style('bold', `\`${agentUse(kind, toolset)}\``)}, then ${generate}`
  return [
    `${style('green', outcome)}: ${paths}, ${count(tools, 'tool')}${results}`,
    ...changeLines(changes),
    ...(written.length === 0 ? [] : [`Next: ${isFirst ? use : generate}.`]),
  ].join('\n')
}

/** How many names a line has that people read. */
const mostNames = 20

function changeLines(changes: readonly ListChange[]): readonly string[] {
  return (['added', 'removed', 'changed'] as const).flatMap((kind) => {
    const tools = changes.filter((change) => change.kind === kind).map(({ tool }) => printable(tool))
    const more = tools.length > mostNames ? ` and ${tools.length - mostNames} more (--json names all)` : ''
    return tools.length === 0 ? [] : [`  ${changeWords[kind]}: ${tools.slice(0, mostNames).join(', ')}${more}`]
  })
}
