import type { RunSummary } from './api.js'

const MAX_NAME = 100

/**
 * Returns the file name for a download of a run: agent or tool, UTC start time, and the first characters of the run id. For example:
 * `support-2026-11-29T10-15-00Z-1a2b3c4d.json`. Replaces all characters except letters, digits, `_`, `.` and `-` with `-`.
 */
export function runFileName({ id, agent, tool, startedAt }: RunSummary, extension: string): string {
  const at = `${new Date(startedAt).toISOString().slice(0, 19).replaceAll(':', '-')}Z`
  const safe = (text: string): string => text.replace(/[^\w.-]+/g, '-').replace(/^[.-]+/, '')
  return `${safe(tool ?? agent ?? '').slice(0, MAX_NAME) || 'run'}-${at}-${safe(id).slice(0, 8)}.${extension}`
}
