import { answer, callTools, type Planner } from '@toolgen/runtime/agents'
import { newBuildReportCall, newListYearsCall } from '../gen/toolsets/reports/index.js'

/**
 * A deterministic planner without a model. It lists the known years, then starts a report for each known year that the user names. It does not
 * wait for the reports. Its answer contains the new messages about calls, also about calls of earlier runs.
 */
export const planner: Planner = ({ turn, messages, outcomes }) => {
  // The first user message is the question. The runtime appends a message for each call that has ended since.
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
