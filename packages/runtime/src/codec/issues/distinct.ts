import type { Issue } from '../../contract/issue.js'

/** Leaves out issues that were found twice, e.g. because two parts of an `allOf` require the same field. */
export function distinctIssues(issues: readonly Issue[]): readonly Issue[] {
  if (issues.length < 2) return issues
  const seen = new Set<string>()
  return issues.filter((issue) => {
    const { message, description, ...facts } = issue
    const key = JSON.stringify(facts)
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}
