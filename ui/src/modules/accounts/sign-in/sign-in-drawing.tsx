import classes from "./sign-in.module.css";

const ports = [373, 389, 405, 421, 437, 453, 469, 485];
const lefts = [151, 231, 301, 362, 430, 499, 590, 679];
const rights = [137, 221, 334, 420, 515, 600, 685, 750];
const widths = [38, 30, 42, 34, 44, 28, 36, 32];
const lit = 3;

/** A still drawing: many ways in, one server, many ways out. */
export function SignInDrawing() {
  return (
    <svg className={classes.drawing} viewBox="0 0 700 860" preserveAspectRatio="xMidYMid slice" aria-hidden>
      {ports.map((port, index) => (
        <g key={port} className={index === lit ? classes.lit : undefined}>
          <path d={`M-40 ${lefts[index]! - 2} C 140 ${lefts[index]!} 160 ${port} 316 ${port}`} />
          <path d={`M414 ${port} C 560 ${port} 560 ${rights[index]! + 10} 740 ${rights[index]! - 8}`} />
        </g>
      ))}
      <rect x="316" y="352" width="98" height="156" rx="12" className={classes.server} />
      {ports.map((port, index) => (
        <g key={port}>
          <circle cx="340" cy={port + 1} r="3" className={index === lit ? classes.litDot : classes.dot} />
          <rect x="354" y={port - 1} width={widths[index]} height="5" rx="2.500" className={classes.dash} />
        </g>
      ))}
    </svg>
  );
}
