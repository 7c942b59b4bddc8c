import type { DesignIr } from '../ir/types.js'
import type { Subject } from './scene/rule.js'

/** What a design says of a rule that does not count somewhere. */
export interface Silence {
  readonly rule: string
  readonly reason: string
  readonly subject: Subject
  /** Where it counts, in words: `` `orders.getOrder` ``. */
  readonly where: string
}

/** The silences of a design, and what they make of findings. */
export interface Silences {
  readonly all: readonly Silence[]
  /** Those that silence a finding: one, or that of every agent that uses the tool; none where it is not silenced. */
  silencing(rule: string, subject: Subject): readonly Silence[]
  /** Those that would silence a finding if others did too. */
  concerning(rule: string, subject: Subject): readonly Silence[]
}

/** Reads the silences of a design. */
export function silencesOf(design: DesignIr): Silences {
  const ofTools = new Map<string, readonly Silence[]>()
  const ofToolsets = new Map<string, readonly Silence[]>()
  const ofAgents = new Map<string, readonly Silence[]>()
  for (const { name: toolset, lint, tools } of design.toolsets) {
    ofToolsets.set(toolset, read(lint, { kind: 'toolset', toolset, path: ['lint'] }, `the toolset \`${toolset}\``))
    for (const { name, id, lint: said } of tools) {
      ofTools.set(id, read(said, { kind: 'tool', toolset, tool: name, path: ['lint'] }, `\`${id}\``))
    }
  }
  for (const { name, lint } of design.agents) {
    ofAgents.set(name, read(lint, { kind: 'agent', agent: name, path: ['lint'] }, `the agent \`${name}\``))
  }
  const usersOf = usersByTool(design)
  const pick = (silences: readonly Silence[] | undefined, rule: string): readonly Silence[] =>
    (silences ?? []).filter((silence) => silence.rule === rule)
  const byUsers = (rule: string, id: string): readonly (readonly Silence[])[] =>
    (usersOf.get(id) ?? []).map((agent) => pick(ofAgents.get(agent), rule))

  return {
    all: [...ofToolsets.values(), ...ofTools.values(), ...ofAgents.values()].flat(),
    silencing(rule, subject) {
      if (subject.kind === 'agent') return pick(ofAgents.get(subject.agent), rule)
      const ofToolset = pick(ofToolsets.get(subject.toolset), rule)
      if (subject.kind === 'toolset') return ofToolset
      const id = `${subject.toolset}.${subject.tool}`
      const near = [...pick(ofTools.get(id), rule), ...ofToolset]
      const users = byUsers(rule, id)
      return near.length > 0 || users.some((silences) => silences.length === 0) ? near : users.flat()
    },
    concerning: (rule, subject) =>
      subject.kind === 'tool' ? byUsers(rule, `${subject.toolset}.${subject.tool}`).flat() : [],
  }
}

function read(lint: Readonly<Record<string, string>> | undefined, subject: Subject, where: string): readonly Silence[] {
  return Object.entries(lint ?? {}).map(([rule, reason]) => ({
    rule,
    reason,
    where,
    subject: { ...subject, path: [...(subject.path ?? []), rule] },
  }))
}

function usersByTool({ agents }: DesignIr): ReadonlyMap<string, readonly string[]> {
  const users = new Map<string, string[]>()
  for (const { name, uses } of agents) {
    for (const { toolset, tools } of uses) {
      for (const { tool } of tools) {
        const id = `${toolset}.${tool}`
        users.set(id, [...(users.get(id) ?? []), name])
      }
    }
  }
  return users
}
