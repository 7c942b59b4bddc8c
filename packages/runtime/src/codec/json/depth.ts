/** How many arrays and objects may lie within each other, the outermost included. */
export const MAX_DEPTH = 500
