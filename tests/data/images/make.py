"""Makes the images of this folder and what Pillow makes of them (python3-pil 9.4, numpy 1.24)."""

import numpy as np
from PIL import Image

HEIGHT, WIDTH = 8, 12
y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
pixels = np.stack([20 * x, 30 * y, 255 - 10 * x - 15 * y], axis=-1).astype(np.uint8)
picture = Image.fromarray(pixels)


def save(image, name, **options):
    image.save(name + ".jpg", **options)
    with Image.open(name + ".jpg") as written:
        np.save(name + ".npy", np.asarray(written.convert("RGB")))


save(picture, "rgb", quality=90, subsampling=0)
save(picture, "subsampled", quality=90, subsampling=2)
save(picture, "progressive", quality=90, progressive=True)
save(picture.convert("L"), "gray", quality=90)
save(picture.convert("CMYK"), "cmyk", quality=90)

# Channel by channel as floats, where Pillow does not round.
channels = [Image.fromarray(pixels[:, :, c].astype(np.float32), mode="F") for c in range(3)]
for height, width in [(4, 5), (20, 3), (7, 30), (8, 12), (1, 1)]:
    resized = [np.asarray(c.resize((width, height), Image.BILINEAR)) for c in channels]
    np.save(f"resized_{height}x{width}.npy", np.stack(resized, axis=-1))
