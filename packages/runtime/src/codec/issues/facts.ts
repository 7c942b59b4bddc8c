import type { Issue } from '../../contract/issue.js'

type FactsOf<Fault> = Fault extends Issue ? Omit<Fault, 'path' | 'message' | 'description'> : never

/** What an issue says beside its place, its sentence and the author's description. */
export type IssueFacts = FactsOf<Issue>
