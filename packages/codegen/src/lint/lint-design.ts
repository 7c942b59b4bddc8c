import type { RuleLevel } from '../config/lint-config.js'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import type { DesignIr, SchemaObject } from '../ir/types.js'
import type { LoadedDesign } from '../load/loaded-design.js'
import { own } from '../schema/json/json.js'
import type { FormChange, VendorForms } from '../vendor-forms/vendor-form.js'
import { rules } from './rules/rules.js'
import { importOf, nextOfImported } from './scene/imported-toolset.js'
import type { Finding, Rule } from './scene/rule.js'
import { sceneOf } from './scene/scene.js'
import { silenceFault } from './silence-fault.js'
import { silencesOf } from './silences.js'
import { subjectPlaces } from './subject-place.js'

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
  /** Findings that the design has silenced. */
  readonly silenced: readonly SilencedFinding[]
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
export interface SilencedFinding {
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
  const silenced: SilencedFinding[] = []
  const projected: ProjectedTool[] = []
  const counts: Record<string, number> = {}
  const idle = new Set(silences.all)
  for (const rule of chosen) {
    for (const finding of distinct(rule.check(scene))) {
      const by = silences.silencing(rule.id, finding.about)
      for (const one of [...by, ...silences.concerning(rule.id, finding.about)]) idle.delete(one)
      const [first] = by
      if (first !== undefined) {
        silenced.push({ rule: rule.id, message: finding.message, reason: first.reason })
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
  return { diagnostics, counts, silenced, projected }
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
