import type { Issue } from '../contract/issue.js'

/** How many faults the message of a {@link CodecError} spells out. */
const faultsInMessage = 10

/**
 * Thrown by `encode` for a value that breaks its schema or cannot be written as JSON.
 *
 * @example
 * try {
 *   codec.encode(value)
 * } catch (error) {
 *   if (isCodecError(error)) console.error(error.issues)
 * }
 */
export class CodecError extends Error {
  override readonly name = 'CodecError'
  /** All faults; at least one. */
  readonly issues: readonly Issue[]

  constructor(issues: readonly Issue[], options?: ErrorOptions) {
    const listed = issues
      .slice(0, faultsInMessage)
      .map(({ path, message }) => `  ${path === '' ? '(root)' : path}: ${message}`)
    const more = issues.length - listed.length
    if (more > 0) listed.push(`  and ${more} more`)
    super(`The value cannot be encoded:\n${listed.join('\n')}`, options)
    this.issues = issues
  }
}

/** Whether a value is a {@link CodecError}, also one of another copy of this package. */
export function isCodecError(value: unknown): value is CodecError {
  return value instanceof Error && value.name === 'CodecError' && 'issues' in value && Array.isArray(value.issues)
}
