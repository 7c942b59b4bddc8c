/** What the sections are about that links lead to. */
export type AnchorKind = 'agent' | 'toolset' | 'tool' | 'type'

/**
 * The anchor of a section: legal in HTML and in addresses as it stands, and different for different names.
 *
 * @example
 * anchorOf('tool', 'orders.getOrder') // tool-orders.getOrder
 */
export function anchorOf(kind: AnchorKind, name: string): string {
  return `${kind}-${name.replace(/[^\w.-]/g, (unit) => `~${unit.charCodeAt(0).toString(16)}~`)}`
}
