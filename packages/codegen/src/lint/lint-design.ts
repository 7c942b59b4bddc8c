import type { Diagnostic, SourcePlace } from '../diagnostics/diagnostic.js'
import type { DesignIr, SchemaObject } from '../ir/types.js'
import type { RuleLevel } from '../load/config-checks.js'
import type { LoadedDesign } from '../load/loaded-design.js'
import { own } from '../schema/json-schema.js'
import type { FormChange, VendorForms } from '../tokens/vendor-forms.js'
import { type Finding, importOf, nextOfImported, type Rule, type Subject, sceneOf } from './context.js'
import { nearRules, ruleIds, rules } from './rules.js'

/** How a design is looked at. */
export interface LintChoice {
  /** The rules that are asked for. Default: all. */
  readonly only?: readonly string[]
  /** Rule → how much its findings matter. A rule that is missing here warns. */
  readonly levels: Readonly<Record<string, RuleLevel>>
  /** Rules for vendors that are missing here are left out. */
  readonly forms: VendorForms
}

/** What the rules say of a design. */
export interface LintReport {
  readonly diagnostics: readonly Diagnostic[]
  /** Rule → how many findings are reported. */
  readonly counts: Readonly<Record<string, number>>
  /** Diagnostics that the design suppresses. */
  readonly suppressed: readonly SuppressedDiagnostic[]
  /** The tools of which the rule of a vendor reports something, as they are sent. */
  readonly projected: readonly ProjectedTool[]
}

/** What is sent of a tool, of which a vendor's rule reports something. */
export interface ProjectedTool {
  readonly rule: string
  /** `toolset.tool` */
  readonly tool: string
  /** The schema of the arguments. */
  readonly schema: SchemaObject
  /** In what it differs from what the tool declares. */
  readonly changes: readonly FormChange[]
}

/** A finding that does not count, and why. */
export interface SuppressedDiagnostic {
  readonly rule: string
  readonly message: string
  readonly reason: string
}

/** Looks at a design by the rules. */
export function lintDesign(design: DesignIr, loaded: LoadedDesign, choice: LintChoice): LintReport {
  const scene = sceneOf(design, choice.forms)
  const silences = silencesOf(design)
  const placeOf = subjectPlaces(loaded)
  const imports = new Map(design.toolsets.map((toolset) => [toolset.name, importOf(toolset)]))
  const chosen = rules.filter((rule) => isChosen(rule, choice))
  const diagnostics: Diagnostic[] = []
  const suppressed: SuppressedDiagnostic[] = []
  const projected: ProjectedTool[] = []
  const counts: Record<string, number> = {}
  const idle = new Set(silences.all)
  for (const rule of chosen) {
    for (const finding of distinct(rule.check(scene))) {
      const by = silences.silencing(rule.id, finding.about)
      for (const one of [...by, ...silences.concerning(rule.id, finding.about)]) idle.delete(one)
      const [first] = by
      if (first !== undefined) {
        suppressed.push({ rule: rule.id, message: finding.message, reason: first.reason })
        continue
      }
      const place = placeOf(finding.about)
      const imported = finding.about.kind === 'tool' ? imports.get(finding.about.toolset) : undefined
      const next = imported === undefined ? rule.next : nextOfImported(imported, rule.id)
      const level = levelOf(rule, choice)
      diagnostics.push({ ...described(rule, finding, level, next), ...(place !== undefined && { place }) })
      counts[rule.id] = (counts[rule.id] ?? 0) + 1
      projected.push(...projectedBy(rule, finding))
    }
  }
  for (const silence of silences.all) {
    const place = placeOf(silence.subject)
    const fault = silenceFault(silence, { chosen, idle: idle.has(silence), all: choice.only === undefined })
    if (fault !== undefined) diagnostics.push({ ...fault, ...(place !== undefined && { place }) })
  }
  return { diagnostics, counts, suppressed, projected }
}

function projectedBy({ id }: Rule, { about, form }: Finding): readonly ProjectedTool[] {
  if (form === undefined || about.kind !== 'tool') return []
  return [{ rule: id, tool: `${about.toolset}.${about.tool}`, schema: form.schema, changes: form.changes }]
}

function isChosen(rule: Rule, choice: LintChoice): boolean {
  if (rule.vendor !== undefined && choice.forms[rule.vendor] === undefined) return false
  return levelOf(rule, choice) !== 'off' && (choice.only === undefined || choice.only.includes(rule.id))
}

function levelOf({ id }: Rule, { levels }: LintChoice): RuleLevel {
  return own(levels, id) ?? 'warning'
}

/** Two agents often see the same two tools. */
function distinct(findings: readonly Finding[]): readonly Finding[] {
  const byText = new Map(findings.map((finding) => [`${finding.about.kind} ${finding.message}`, finding]))
  return [...byText.values()]
}

function described(rule: Rule, finding: Finding, level: RuleLevel, next: string): Diagnostic {
  const facts = finding.facts ?? []
  return {
    code: rule.code,
    severity: level === 'error' ? 'error' : 'warning',
    message: `${finding.message} (${rule.id})`,
    next,
    ...(facts.length > 0 && { related: facts.map((message) => ({ message })) }),
  }
}

/** Finds where the design says what a finding is about. */
function subjectPlaces({ toolsets, agents, places }: LoadedDesign): (subject: Subject) => SourcePlace | undefined {
  const toolsetOf = new Map(toolsets.map((toolset) => [toolset.name, toolset]))
  const agentOf = new Map(agents.map((agent) => [agent.name, agent]))
  return (subject) => {
    if (subject.kind === 'agent') {
      const agent = agentOf.get(subject.agent)
      return agent && places.placeOf(agent, ...(subject.path ?? []))
    }
    const toolset = toolsetOf.get(subject.toolset)
    if (toolset === undefined) return undefined
    if (subject.kind === 'toolset') return places.placeOf(toolset, ...(subject.path ?? []))
    const tool = ['tools', subject.tool]
    if (subject.field === undefined) return places.placeOf(toolset, ...tool, ...(subject.path ?? []))
    // A JSON Schema spells fields out under `properties`, the objects of libraries directly.
    const payload = places.placeOf(toolset, ...tool, 'payload')
    const { names } = subject.field
    const spelt = places.placeOf(toolset, ...tool, 'payload', ...names.flatMap((name) => ['properties', name]))
    return samePlace(spelt, payload) ? places.placeOf(toolset, ...tool, 'payload', ...names) : spelt
  }
}

function samePlace(a: SourcePlace, b: SourcePlace): boolean {
  return a.file === b.file && a.line === b.line && a.column === b.column
}

/** What a design says of a rule that does not count somewhere. */
interface Silence {
  readonly rule: string
  readonly reason: string
  readonly subject: Subject
  /** Where it counts, in words: `` `orders.getOrder` ``. */
  readonly where: string
}

/** The silences of a design, and what they make of findings. */
interface Silences {
  readonly all: readonly Silence[]
  /** Those that silence a finding: one, or that of every agent that uses the tool; none where it is not suppressed. */
  silencing(rule: string, subject: Subject): readonly Silence[]
  /** Those that would silence a finding if others did too. */
  concerning(rule: string, subject: Subject): readonly Silence[]
}

/** Reads the silences of a design. */
function silencesOf(design: DesignIr): Silences {
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

/** What is wrong with an entry that silences nothing; absent where it may well silence something. */
function silenceFault(
  { rule, where }: Silence,
  { chosen, idle, all }: { readonly chosen: readonly Rule[]; readonly idle: boolean; readonly all: boolean },
): Diagnostic | undefined {
  if (all && !ruleIds.includes(rule)) {
    return {
      code: 'TG8390',
      severity: 'warning',
      message: `${capital(where)} silences \`${rule}\`, which is no rule.`,
      ...nearRules(rule, 'Remove it, or name one of the rules that there are.'),
    }
  }
  if (!idle || !chosen.some(({ id }) => id === rule)) return undefined
  return {
    code: 'TG8391',
    severity: 'warning',
    message: `${capital(where)} silences \`${rule}\`, which finds nothing there.`,
    next: 'Remove it from `lint`, so that the rule is heard when there is something to find.',
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
