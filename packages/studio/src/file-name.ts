import type { RunSummary } from './api.js'

const MAX_NAME = 100

export function runFileName({ id, agent, tool, startedAt }: RunSummary, extension: string): string {
  const at = `${new Date(startedAt).toISOString().slice(0, 19).replaceAll(':', '-')}Z`
  const safe = (text: string): string => text.replace(/[^\w.-]+/g, '-').replace(/^[.-]+/, '')
  return `${safe(tool ?? agent ?? '').slice(0, MAX_NAME) || 'run'}-${at}-${safe(id).slice(0, 8)}.${extension}`
}
