import type { PlannedCall, Scenario } from './scenario.js'

/** What happened in all runs of a scenario, whichever runtime ran them. */
export class World {
  readonly scenario: Scenario
  /** Whether those who are asked answer at once; else calls wait. */
  readonly atOnce: boolean
  /** The calls whose tools ran, by their ids in the scenario. */
  readonly ran: string[] = []
  /** The calls that somebody was asked about while they began. */
  readonly asked: string[] = []
  /** Calls that may run: nobody has to be asked, or somebody has let them. */
  readonly allowed = new Set<string>()
  /** Calls that somebody has answered. */
  readonly settled = new Set<string>()
  /** Whether a call has ended its run, and with it those beside it. */
  hasFinal = false
  /** The decisions of all runs. */
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

  /** A tool begins. */
  run(id: string): PlannedCall {
    if (this.ran.includes(id)) this.faults.push(`${id} ran twice`)
    this.ran.push(id)
    this.#requireAllowed(id)
    return this.call(id)
  }

  /** The planner of the run that serves a call, or of the outermost one, is asked. */
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

/** The reply to a question. */
export function replyTo(question: string): string {
  return `re: ${question}`
}
