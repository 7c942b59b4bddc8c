/**
 * What a run is about to do: evaluate modules of the design, read the types behind tools that clients serve, write the
 * code of tools, or compare files with those on disk.
 */
export type Stage = 'evaluate' | 'bind' | 'emit' | 'compare'

/**
 * Told before each stage of a run with how much there is to do: modules, tools, tools, files.
 *
 * @example
 * await generate({ cwd, onStage: (stage, count) => console.error(stage, count) })
 */
export type OnStage = (stage: Stage, count: number) => void
