import { ToolFailure } from '../failure/tool-failure.js'

/** Why an update is refused that comes after the end of its call. */
export function lateUpdate(): ToolFailure {
  return new ToolFailure('The call has ended: it takes no more updates.', { reason: 'cancelled' })
}
