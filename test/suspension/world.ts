import type { PlannedCall, Scenario } from './scenario.js'

/** Actions of all runs of a scenario, in any runtime. */
export class World {
  readonly scenario: Scenario
  /** True if approvals and questions are answered immediately. Otherwise calls are suspended. */
  readonly atOnce: boolean
  /** Calls whose tools ran, by their ids in the scenario. */
  readonly ran: string[] = []
  /** Calls for which the approver was asked when they began. */
  readonly asked: string[] = []
  /** Calls that may run, because they need no approval or were approved. */
  readonly allowed = new Set<string>()
  /** Calls with an answer. */
  readonly settled = new Set<string>()
  /** True if a call has ended its run and the other calls of the step. */
  hasFinal = false
  /** Decisions of all runs. */
  readonly decisions: string[] = []
  readonly faults: string[] = []

  constructor(scenario: Scenario, atOnce: boolean) {
    this.scenario = scenario
    this.atOnce = atOnce
  }

  call(id: string): PlannedCall {
    const call = this.scenario.calls.get(id)
    if (call === undefined) throw new Error(`the scenario has no call '${id}'`)
    return call
  }

  /** Called when a tool begins. */
  run(id: string): PlannedCall {
    if (this.ran.includes(id)) this.faults.push(`${id} ran twice`)
    this.ran.push(id)
    this.#requireAllowed(id)
    return this.call(id)
  }

  /** Called when the planner of a run makes a decision. `id` is the call that the run serves, or `root`. */
  decide(id: string, question: string): void {
    const decision = `${id}: ${question}`
    if (this.decisions.includes(decision)) this.faults.push(`the planner of ${decision} was asked twice`)
    this.decisions.push(decision)
    if (id !== 'root') this.#requireAllowed(id)
  }

  #requireAllowed(id: string): void {
    if (this.call(id).gate !== 'none' && !this.allowed.has(id)) this.faults.push(`${id} ran, and nobody had let it`)
  }
}

/** Returns the reply to a question. */
export function replyTo(question: string): string {
  return `re: ${question}`
}
