import type { ResumeClaims } from '../../contract/resume.js'

/** Claims of one runtime: ids of suspensions that were resumed, kept as long as the runtime is. */
export function claimsInMemory(): ResumeClaims {
  const resumed = new Set<string>()
  return {
    claim: (id) => {
      if (resumed.has(id)) return false
      resumed.add(id)
      return true
    },
  }
}
