import type { BatchObservableCallback, Meter } from '@opentelemetry/api'
import type { SessionUsage } from '../contract/session-usage.js'

/** What is measured of each open session: the end of the metric's name, its unit and what it says. */
const MEASURED = [
  ['pending_calls', '{call}', 'calls of streaming tools that are under way', 'pendingCalls'],
  ['entries', '{entry}', 'entries that nobody has taken', 'entries'],
  ['memory', 'By', 'memory of the entries that nobody has taken, roughly', 'bytes'],
  ['unsaved', '{change}', 'changes that wait for the store', 'unsaved'],
] as const

/**
 * Observes what open sessions hold whenever metrics are collected: of all together, which may be added up over processes,
 * and of the one that holds most.
 *
 * @returns ends that
 */
export function usageGauges(meter: Meter, usage: () => readonly SessionUsage[]): () => void {
  const open = meter.createObservableUpDownCounter('toolgen.session.count', {
    unit: '{session}',
    description: 'Open sessions.',
  })
  const gauges = MEASURED.map(([name, unit, what, field]) => ({
    field,
    total: meter.createObservableUpDownCounter(`toolgen.session.${name}`, {
      unit,
      description: `Of all open sessions together: ${what}.`,
    }),
    largest: meter.createObservableGauge(`toolgen.session.${name}.max`, {
      unit,
      description: `Of the session that holds most: ${what}.`,
    }),
  }))
  const observe: BatchObservableCallback = (observer) => {
    const sessions = usage()
    observer.observe(open, sessions.length)
    for (const { field, total, largest } of gauges) {
      let [sum, most] = [0, 0]
      for (const { [field]: value } of sessions) {
        sum += value
        most = Math.max(most, value)
      }
      observer.observe(total, sum)
      observer.observe(largest, most)
    }
  }
  const observed = [open, ...gauges.flatMap(({ total, largest }) => [total, largest])]
  meter.addBatchObservableCallback(observe, observed)
  return () => meter.removeBatchObservableCallback(observe, observed)
}
