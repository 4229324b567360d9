import { useEffect, useRef, useState, type RefObject } from "react";

/** The height from the top of an element to the end of the window, so that the canvas fills what the page leaves. */
export function useFillHeight(below = 0): [RefObject<HTMLDivElement | null>, number] {
  const frame = useRef<HTMLDivElement>(null);
  const [height, setHeight] = useState(560);
  useEffect(() => {
    const measure = () => {
      const top = (frame.current?.getBoundingClientRect().top ?? 0) + window.scrollY;
      setHeight(Math.max(420, window.innerHeight - top - below));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    // What stands above may come and go without a change of the page's own height.
    if (frame.current?.parentElement) observer.observe(frame.current.parentElement);
    window.addEventListener("resize", measure);
    return () => {
      observer.disconnect();
      window.removeEventListener("resize", measure);
    };
  }, [below]);
  return [frame, height];
}
