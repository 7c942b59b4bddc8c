import { answer, callTools, type Planner } from '@toolgen/runtime/agents'
import { newBuildReportCall, newListYearsCall } from '../gen/toolsets/reports/index.js'

/**
 * A deterministic planner: no model, only code. It asks which years there are, then has the reports of those built that the
 * user names. It does not wait for them: its answer says what it has been told, of calls of earlier runs too.
 */
export const planner: Planner = ({ turn, messages, outcomes }) => {
  // The user's own words come first; what calls have come to since is appended as further messages.
  const [asked = '', ...late] = messages.filter(({ role }) => role === 'user').map(({ content }) => String(content))
  const years = [...asked.matchAll(/\b\d{4}\b/g)].map(Number)
  if (turn === 1 && years.length > 0) return callTools(newListYearsCall({}))
  if (turn === 2) {
    const [listed] = outcomes
    const known: readonly number[] = listed?.status === 'completed' ? JSON.parse(listed.json) : []
    const [first, ...others] = years.filter((year) => known.includes(year)).map((year) => newBuildReportCall({ year }))
    if (first !== undefined) return callTools(first, ...others)
  }
  const begun = outcomes.flatMap((outcome) =>
    outcome.status === 'completed' && outcome.acknowledgement ? [outcome.acknowledgement.message] : [],
  )
  return answer([...late, ...begun].join('\n') || 'There is nothing new.')
}
