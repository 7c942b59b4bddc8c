import type { ToolOutcome } from '../contract/outcome.js'
import type { ClarificationField } from '../contract/suspension.js'

/** What a user is asked when calls lack required fields. */
export interface Clarification {
  readonly question: string
  readonly fields: readonly ClarificationField[]
}

/** The question over all fields that these calls lacked; `undefined` where none did. */
export function clarificationOf(outcomes: readonly ToolOutcome[]): Clarification | undefined {
  const fields = outcomes.flatMap((outcome): readonly ClarificationField[] => {
    if (outcome.status !== 'failed' || outcome.hint.reason !== 'missing_fields') return []
    const { tool, missing } = outcome.hint
    return missing.map((field) => ({ ...field, tool }))
  })
  const asked = [...new Map(fields.map((field) => [`${field.tool} ${field.path}`, field])).values()]
  return asked.length === 0 ? undefined : { question: questionOf(asked), fields: asked }
}

function questionOf(fields: readonly ClarificationField[]): string {
  const names = [...new Set(fields.map(nameOf))]
  if (names.length === 1) return `Please give: ${names[0]}.`
  return `Please give:\n${names.map((name) => `- ${name}`).join('\n')}`
}

/** What a user understands: the description of the field, else its name. */
function nameOf({ path, description }: ClarificationField): string {
  const name = path
    .slice(path.lastIndexOf('/') + 1)
    .replaceAll('~1', '/')
    .replaceAll('~0', '~')
  return description === undefined ? name : `${description} (${name})`
}
