import type { RunSummary } from './api.js'

/** Maximum length of the name of the agent or tool in a file name. */
const MAX_NAME = 100

/**
 * Returns the name of the file of a run: the agent or tool, the time in UTC and the start of the id, such as
 * `support-2026-11-29T10-15-00Z-1a2b3c4d.json`. Other characters than letters, digits, `_`, `.` and `-` become `-`.
 */
export function runFileName({ id, agent, tool, startedAt }: RunSummary, extension: string): string {
  const at = `${new Date(startedAt).toISOString().slice(0, 19).replaceAll(':', '-')}Z`
  const safe = (text: string): string => text.replace(/[^\w.-]+/g, '-').replace(/^[.-]+/, '')
  return `${safe(tool ?? agent ?? '').slice(0, MAX_NAME) || 'run'}-${at}-${safe(id).slice(0, 8)}.${extension}`
}
